#!/bin/sh
# Makes a certificate: issue.sh AUTHORITY FOLDER NAME... Signs a new key for the host's names and addresses with the
# authority in the folder AUTHORITY, which is made if it is missing, and puts ca.pem, host.pem and host.key into FOLDER.
# A host shows the same certificate as server and as client. Keep AUTHORITY/ca.key on a machine of its own.
# DAYS is how long the certificate is valid (default 365).
set -eu
authority=$1 folder=$2
shift 2
mkdir -p "$authority" "$folder"
umask 077

names=
for name in "$@"; do
  case $name in
    *[!0-9.]*) names="$names,DNS:$name" ;;
    *) names="$names,IP:$name" ;;
  esac
done
config=$(mktemp)
trap 'rm -f "$config"' EXIT
cat >"$config" <<CONF
[req]
distinguished_name = name
[name]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[host]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = ${names#,}
CONF
key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"

if [ ! -e "$authority/ca.key" ]; then
  openssl req -x509 -config "$config" -extensions ca $key -days 3650 -subj "/CN=Rialto cluster" \
    -keyout "$authority/ca.key" -out "$authority/ca.pem" 2>/dev/null
fi
openssl req -x509 -config "$config" -extensions host $key -days "${DAYS:-365}" -subj "/CN=$1" \
  -CA "$authority/ca.pem" -CAkey "$authority/ca.key" \
  -keyout "$folder/host.key" -out "$folder/host.pem" 2>/dev/null
cp "$authority/ca.pem" "$folder/ca.pem"
chmod 644 "$folder/ca.pem" "$folder/host.pem"
