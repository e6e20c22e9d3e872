"""The LC index over many random splits of a data set, as Adams and Hand computed it on one."""
