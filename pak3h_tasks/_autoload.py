"""Makes plain `lm_eval` see the Pak3H tasks: an import hook on its task manager and its command line, nothing else.

lm-eval 0.4.13 has no plug-in mechanism for tasks, so pak3h_autoload.pth imports this module in every Python process of
the environment. It must cost next to nothing (only `sys` and `os`, both already loaded) and must never break anything:
any surprise is one logged warning and lm-eval goes on without our tasks. PAK3H_AUTOLOAD=0 turns it off.
"""

# mypy: allow-untyped-defs, allow-untyped-calls
# typing alone would cost more than the whole hook.

import os
import sys

TARGET = "lm_eval.tasks.manager"
COMMAND = "lm_eval._cli"


class Finder:
    """Meta-path finder that lets the other finders find the two modules, and acts once one has run."""

    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if fullname != TARGET and fullname != COMMAND:
            return None
        spec = None
        for finder in sys.meta_path:
            if finder is not Finder and hasattr(finder, "find_spec"):
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    break
        try:
            _run_after(spec.loader if spec else None, _patch if fullname == TARGET else _read_command)
        except Exception as error:  # noqa: BLE001 - a hook in every process may not raise
            _warn(error)
        return spec


def _run_after(loader, action):
    """Call `action(module)` after this one loader has executed its module; the loader itself stays what it is."""
    exec_module = loader.exec_module

    def exec_then_act(module):
        exec_module(module)
        try:
            action(module)
        except Exception as error:  # noqa: BLE001
            _warn(error)

    loader.exec_module = exec_then_act


def _patch(module):
    import functools
    import inspect

    from pak3h_tasks.resources import task_dir

    _act("attach", module)
    if "entry_points" in inspect.getsource(module):
        return  # this lm-eval loads task plug-ins itself; pyproject.toml declares ours
    manager = module.TaskManager
    original = manager.__init__
    signature = inspect.signature(original)
    if "include_path" not in signature.parameters:
        raise TypeError("TaskManager takes no include_path")

    @functools.wraps(original)
    def init(self, *args, **kwargs):
        try:
            bound = signature.bind(self, *args, **kwargs)
            given = bound.arguments.get("include_path")
            paths = list(given) if isinstance(given, (list, tuple)) else [given] if given else []
            ours = str(task_dir())
            wanted = bound.arguments.get("include_defaults", True) and not any(
                os.path.realpath(p) == os.path.realpath(ours) for p in paths
            )
            if wanted:
                # after lm-eval's own tasks, before the user's: a user's task of the same name still wins
                bound.arguments["include_path"] = [ours, *paths]
                original(*bound.args, **bound.kwargs)
                self.include_path = given
                return
        except Exception as error:  # noqa: BLE001
            _warn(error)
        original(self, *args, **kwargs)

    manager.__init__ = init


def _read_command(_module):
    _act("explain_from_now_on", sys.argv)


def _act(name, argument):
    try:
        from importlib import import_module

        # by name: `pak3h doctor` looks at this hook, and the hook may not import the room that does
        getattr(import_module("pak3h_tasks.harness.attach"), name)(argument)
    except Exception:  # the tasks run without it
        import logging

        logging.getLogger("pak3h_tasks").debug("lm-eval stays as it is for our tasks", exc_info=True)


def _warn(error):
    import logging

    logging.getLogger("pak3h_tasks").warning(
        'pak3h-tasks could not add its tasks to this lm-eval (%s: %s); use --include_path "$(pak3h tasks-dir)"',
        type(error).__name__,
        error,
    )


def switched_off() -> bool:
    """Whether PAK3H_AUTOLOAD says no."""
    return os.environ.get("PAK3H_AUTOLOAD", "1").strip().lower() in {"0", "false", "no", "off"}


def install() -> None:
    """Put the hook first on the meta path, once, unless PAK3H_AUTOLOAD switches it off."""
    if not switched_off() and TARGET not in sys.modules and Finder not in sys.meta_path:
        sys.meta_path.insert(0, Finder)


install()
