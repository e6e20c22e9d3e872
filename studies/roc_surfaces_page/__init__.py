"""The page about Everson and Fieldsend: tables and pictures of what was computed."""
