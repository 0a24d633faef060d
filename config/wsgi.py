import os

import django
from django.core.wsgi import get_wsgi_application

from config.static_files import collect

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup(set_prefix=False)
collect()  # before the middleware looks at what there is
application = get_wsgi_application()
