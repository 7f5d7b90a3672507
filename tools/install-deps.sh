#!/usr/bin/env bash
# Installs what is missing of the Debian packages that comm builds with.
set -euo pipefail

packages=(g++ cmake ninja-build libgtest-dev libgmock-dev libopenblas-dev
          libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-format-22
          dpkg-dev file)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

echo "installing: ${missing[*]}"
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${missing[@]}"
