# shellcheck shell=bash disable=SC2154 # say, bring_packages, target_dir and ROOT are of dev, which takes this in
# Brings what the tests of trackers stand on.

# Trackers that others made, and what stands before them.
TRACKERS=(nginx-light puma redmine redmine-sqlite sqlite3)
# npm's latest `emulate` is another program's, so all are pinned: the emulator, GitHub's recordings, its specification.
RECORDINGS=(emulate@0.11.2 @octokit/fixtures@23.1.2 @octokit/openapi@23.0.2)

# Everything is for the tests alone: nothing of it is linked into what we build, and nothing is kept in the repository.
bring_trackers() {
  local place
  place=$(target_dir)/real
  mkdir -p "$place/npm" "$place/specs/src"
  if [ "$(dpkg-query -W -f '${db:Status-Status}' redmine 2>/dev/null)" != installed ]; then
    # It asks while it is installed, and there is nobody to answer.
    printf 'redmine redmine/instances/default/%s\n' 'dbconfig-install boolean true' 'database-type select sqlite3' \
      'default-language select en' | ${ROOT:+sudo} debconf-set-selections
  fi
  local had_nginx
  had_nginx=$(command -v nginx || true)
  bring_packages "${TRACKERS[@]}"
  # A server's package starts it, too; here each test starts its own.
  if [ -z "$had_nginx" ] && [ -d /run/systemd/system ]; then ${ROOT:+sudo} systemctl disable --now nginx; fi
  if [ "$(cat "$place/npm/brought" 2>/dev/null)" != "${RECORDINGS[*]}" ]; then
    say "Installing npm packages for the tests of trackers"
    npm --prefix "$place/npm" install --ignore-scripts --no-audit --no-fund --no-save "${RECORDINGS[@]}" || return 1
    printf '%s' "${RECORDINGS[*]}" >"$place/npm/brought"
  fi
  if [ ! -s "$place/specs/forgejo.json" ] || [ ! -s "$place/specs/gitea.json" ]; then
    bring_specifications "$place/specs" || return 1
  fi
}

# Forgejo's and Gitea's specifications come inside crates that are made from them. They are read, not built.
bring_specifications() {
  local place=$1 packages
  say "Fetching the specifications of Forgejo and Gitea"
  : >"$place/src/lib.rs"
  printf '%s\n' '[workspace]' '[package]' 'name = "specs"' 'version = "0.0.0"' 'edition = "2021"' '[dependencies]' \
    'forgejo-api = "=0.12.0"' 'gitea-sdk = "=0.6.3"' >"$place/Cargo.toml"
  packages=$(cargo metadata --format-version 1 --manifest-path "$place/Cargo.toml" | node -e '
    const told = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const { name, manifest_path } of told.packages) console.log(name, require("path").dirname(manifest_path));
  ') || return 1
  cp "$(awk '$1 == "forgejo-api" { print $2 }' <<<"$packages")/swagger.v1.json" "$place/forgejo.json"
  cp "$(awk '$1 == "gitea-sdk" { print $2 }' <<<"$packages")/swagger.json" "$place/gitea.json"
}
