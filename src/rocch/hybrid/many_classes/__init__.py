"""The hybrid for more than two classes: a ROC surface that is aimed at run time."""
