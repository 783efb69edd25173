grep -qx "timeout = 30" service/config/settings.ini && grep -qx "port = 80" service/config/settings.ini &&
    test ! -e config
