"""Files in the home folder that hold keys and passwords; a sandboxed command cannot read them."""

_NAMES = """
.ssh .gnupg .aws .azure .kube .oci .config/gcloud .config/gh .config/hub .config/op .config/doctl
.docker/config.json .netrc .pgpass .my.cnf .npmrc .yarnrc.yml .pypirc .gem/credentials
.cargo/credentials .cargo/credentials.toml .composer/auth.json .m2/settings.xml
.gradle/gradle.properties .git-credentials .config/git/credentials .terraform.d .vault-token
.password-store .local/share/keyrings .mozilla .config/google-chrome .config/chromium
.bash_history .zsh_history .python_history .psql_history
"""
SECRET_HOME_FILES = tuple(_NAMES.split())
SECRET_SYSTEM_FILES = ("/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/ssl/private")
"""Matters for root only; no other user may read them anyway."""
