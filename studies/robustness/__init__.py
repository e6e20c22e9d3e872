"""What judged folds say: who wins where, who dominates, and what a hybrid saves."""
