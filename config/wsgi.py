import os

import django
from django.core.wsgi import get_wsgi_application

from config.static_files import collect
from hits.common import waking

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)
collect()  # before the middleware looks at what there is
application = get_wsgi_application()
waking.wake_all()  # the process before may have been killed between what it committed and its word of it
