"""Everson and Fieldsend's experiments: what is computed and kept between runs, and their page."""
