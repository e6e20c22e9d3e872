"""scikit-learn estimators and the hull: where fitted models become scores."""
