"""The learners of the literature, as far as they are not in scikit-learn, and rosters of them."""
