"""Results over the whole public API, to show that a refactoring changes none of them.

python -m tests.support.fingerprint write before.json
python -m tests.support.fingerprint compare before.json after.json

Names are today's (see `naming`); results are written without types, modules and wording (see
`reducing`), and compared by `comparing`. The other modules hold the areas.
"""
