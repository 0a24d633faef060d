import gc
import os

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from config.start_checks import refuse_wrong_databases, stop
from config.static_files import collect
from hits.common import wake

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
gc.disable()  # loaded modules stay, and collecting garbage among them takes a sixth of the start
try:
    django.setup(set_prefix=False)
    refuse_wrong_databases()
except ImproperlyConfigured as problem:
    stop(str(problem))
collect()  # before the middleware looks at what there is
application = get_wsgi_application()
_ = get_resolver().url_patterns  # all pages are loaded before the first one is asked for
gc.freeze()
gc.enable()
wake.wake_all()  # the process before may have been killed after a commit, before it told of it
