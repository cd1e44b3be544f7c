"""Importing this imports all of Assay and loads its packs: forks of the process need not."""

import pkgutil
from importlib import import_module

import assay

# What the modules that are run import from the tests.
import tests.conftest
import tests.demo.part
import tests.engine.toy  # noqa: F401
from assay.app.installed_packs import load_all_packs

for found in pkgutil.walk_packages(assay.__path__, "assay."):
    if not found.name.endswith(".__main__") and ".migrations." not in found.name:
        import_module(found.name)
load_all_packs()
