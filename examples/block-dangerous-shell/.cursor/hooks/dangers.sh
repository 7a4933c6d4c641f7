# What is dangerous, program by program. Read by block-dangerous-shell.sh; $link, $name and the words are one command.

look_at() {
  IFS=' '
  words=" $* "
  IFS=$newline
  case $link in '|') ;; *) download='' ;; esac
  for word in "$@"; do
    case $word in "$OUT"*) writes "${word#"$OUT"}" ;; esac
  done
  case $name in
    rm | srm) removes "$@" ;;
    find | fd) finds "$@" ;;
    mv) moves "$@" ;;
    chmod | chown | chgrp | setfacl) changes_rights "$@" ;;
    dd) for word in "$@"; do case $word in of=*) writes "${word#of=}" ;; esac; done ;;
    cp | install) for word in "$@"; do device "$word"; done ;;
    tee | shred | truncate | sponge) for word in "$@"; do writes "$word"; done ;;
    mkfs | mkfs.* | mke2fs | mkswap | wipefs | blkdiscard | newfs | newfs_*)
      deny "$name makes a disk or partition empty." ;;
    diskutil) case "${1:-}" in erase* | reformat | zero* | random* | secure* | partition* | apfs) deny "diskutil $1 empties a disk." ;; esac ;;
    shutdown | reboot | halt | poweroff) deny "$name stops this machine." ;;
    systemctl) case $words in *' poweroff '* | *' reboot '* | *' halt '* | *' kexec '*) deny 'systemctl would stop this machine.' ;; esac ;;
    init | telinit) case "${1:-}" in [06]) deny "$name $1 stops this machine." ;; esac ;;
    kill) ends_all "$@" ;;
    crontab) case $words in *' -r '*) deny 'crontab -r removes all scheduled work.' ;; esac ;;
    git) pushes "$@" ;;
    cd | pushd) goes "$@" ;;
    curl | wget | fetch | aria2c) download=$name ;;
    sh | bash | dash | zsh | ksh | ash | fish | mksh | csh | tcsh) runs_text shell "$@" ;;
    python | python[0-9]* | node | perl | ruby | php | deno | bun) runs_text interpreter "$@" ;;
    eval | source | .) for word in "$@"; do fetched "$word"; done ;;
    function) defined=$1 calls=0 ;;
    '}') calls=0 defined='' ;;
    "$BROKEN") ask 'This command ends inside a quotation or a parenthesis, so the guard cannot read it.' ;;
    *"$MARK"*) [ "$link" = '[' ] || ask "Only the shell knows which program this starts: $(shown "$name")." ;;
  esac
  if [ -n "$defined" ] && [ "$name" = "$defined" ]; then
    calls=$((calls + 1))
    [ $calls -lt 2 ] || deny "the function $defined starts itself twice each time: a fork bomb." 'It would stop the machine.'
  fi
}

# --- what a path leads to

# The path as the shell will see it from $here, without . and .. ; "?" when only the shell knows.
absolute() {
  path=$(printf '%s' "$1" | tr -d "$MARK")
  case $path in
    '~') path=$HOME ;;
    '~/'*) path=$HOME/${path#'~/'} ;;
    '~'*) path=/home/${path#'~'} ;;
    '$HOME' | '${HOME}') path=$HOME ;;
    '$HOME/'* | '${HOME}/'*) path=$HOME/${path#*/} ;;
    '$PWD' | '${PWD}' | '$(pwd)') path=$here ;;
    '$PWD/'* | '${PWD}/'* | '$(pwd)/'*) path=$here/${path#*/} ;;
    *'$'*) echo '?'; return ;;
    /*) ;;
    *) [ "$here" != '?' ] || { echo '?'; return; }
      path=$here/$path ;;
  esac
  printf '%s\n' "$path" | awk '{
    count = split($0, part, "/"); depth = 0
    for (k = 1; k <= count; k++) {
      if (part[k] == ".." && depth > 0) depth--
      else if (part[k] != "" && part[k] != "." && part[k] != "..") kept[++depth] = part[k]
    }
    out = ""
    for (k = 1; k <= depth; k++) out = out "/" kept[k]
    print out == "" ? "/" : out
  }'
}

# Says in $what why losing this path with all that is in it is too much. Fails when it is not; with 2 when nobody knows.
precious() {
  full=$(absolute "$1")
  # Everything in a folder is as good as the folder.
  last=${full##*/}
  case $last in *[!*?.]*) ;; *[*?]*) full=${full%/*} ;; esac
  # A pattern for hidden files that takes .git, too.
  case $last in .*[*?[]*) case .git in $last) full=${full%/*}/.git ;; esac ;; esac
  # A link is followed where what is behind it would go: link/, link/., link/*
  case $1 in
    */ | */. | *'*') real=$(cd -P -- "${full:-/}" 2> /dev/null && pwd) && full=$real ;;
  esac
  case $full in
    '?') return 2 ;;
    '' | /) what='the whole machine'; return ;;
    */.git) what='a repository with its whole history'; return ;;
  esac
  case $root in "$full") what='the whole workspace'; return ;; "$full"/*) what='a folder above the workspace'; return ;; esac
  case ${HOME:-/root}/ in "$full"/*) what='your home folder'; return ;; esac
  case $full in
    /tmp/* | /var/tmp/* | /private/tmp/*) return 1 ;;
    /bin/* | /boot/* | /etc/* | /lib/* | /lib64/* | /sbin/* | /System/*) what="$full, which belongs to the system" ;;
    /*/*/*) return 1 ;;
    /home/* | /Users/*) what='a home folder' ;;
    /usr/* | /var/* | /opt/* | /Library/* | /Applications/*) what="$full, which belongs to the system" ;;
    /*/*) return 1 ;;
    *) what="$full, a folder at the top of this machine" ;;
  esac
}

# --- programs

removes() {
  # Flags may hide in a variable.
  sure=yes
  case " $(flags "$@") " in *[rR]* | *--no-preserve-root*) ;; *) case $words in *" $MARK\$"*) sure='' ;; *) return 0 ;; esac ;; esac
  targets=0
  for word in "$@"; do
    case $word in -* | "$OUT"*) continue ;; esac
    targets=$((targets + 1))
    precious "$word"
    case $?$sure in
      0) ask "$name may remove $what: only the shell knows its flags." ;;
      0yes) deny "$name would remove $what." 'Remove the files you mean by their own path inside the workspace.' ;;
      2yes) ask "$name would remove $(shown "$word"), and only the shell knows what that is; empty, it may be everything." ;;
    esac
  done
  [ $targets -gt 0 ] || [ "$link" != '|' ] || ask "$name would remove whatever comes through the pipe."
}
flags() { for word in "$@"; do case $word in --) break ;; --*) printf ' %s ' "$word" ;; -*) printf '%s' "${word#-}" ;; esac; done; }

finds() {
  case $words in *' -delete '* | *' -exec'*rm* | *' -ok'*rm*) ;; *) return 0 ;; esac
  # With a condition it takes some files and not all.
  some=''
  case $words in *-*name* | *-path* | *-regex* | *-*time* | *-*min* | *-size* | *-empty*) some=yes ;; esac
  for word in "$@"; do
    case $word in -*) break ;; esac
    precious "$word" || continue
    [ -n "$some" ] || deny "find would remove what is in $what."
    [ "$what" = 'the whole workspace' ] || ask "find would remove files in $what."
  done
}

moves() {
  while [ $# -gt 1 ]; do
    case $1 in -*) ;; *) precious "$1" && deny "mv would take away $what." ;; esac
    shift
  done
}

# The first -1 is a signal; any later one means every process.
ends_all() {
  while [ $# -gt 1 ]; do
    [ "$2" != -1 ] || deny 'kill -1 ends every process of this person.'
    shift
  done
}

changes_rights() {
  case " $(flags "$@") " in *R* | *' --recursive '*) ;; *) return ;; esac
  for word in "$@"; do
    case $word in -*) continue ;; esac
    precious "$word" && deny "$name would change the rights of $what and all that is in it." 'Change the one file that needs it.'
  done
}

# Devices that keep nothing may be written to.
device() {
  case $(absolute "$1") in
    /dev/null | /dev/zero | /dev/full | /dev/random | /dev/urandom | /dev/tty* | /dev/std* | /dev/fd/* | /dev/pts/* | /dev/shm/*) ;;
    /dev/*) deny "$name would write over the device $(shown "$1")." ;;
  esac
}
writes() {
  device "$1"
  case $(absolute "$1") in
    /etc/passwd | /etc/shadow | /etc/sudoers* | /etc/fstab | /etc/hosts | /boot/*) deny "${name:-this command} would write over $(shown "$1")." ;;
  esac
}

goes() {
  for word in "$@"; do case $word in -*) ;; *) here=$(absolute "$word"); return ;; esac; done
  here=$HOME
}

# Text from the network that is run before anybody has read it.
runs_text() {
  kind=$1
  shift
  for word in "$@"; do fetched "$word"; done
  file='' program=''
  for word in "$@"; do
    case $word in
      -c | -*[a-z]c | -e | --eval | -p | -m) program=yes ;;
      - | -s | /dev/stdin) file='' ; break ;;
      -* | +*) ;;
      *) file=$word; break ;;
    esac
  done
  [ "$link" = '|' ] && [ -z "$file$program" ] || return 0
  [ -z "$download" ] || deny "$name would run what $download fetches before anybody has read it." 'Fetch it into a file, show it to the person, and run it when they agree.'
  [ $kind = interpreter ] || ask "$name runs whatever comes through the pipe; the guard cannot see it."
}
fetched() {
  case $1 in
    *"$MARK"*'('*curl* | *"$MARK"*'('*wget* | *"$MARK"*'('*fetch*) deny "$name would run what is fetched from the network before anybody has read it." 'Fetch it into a file, show it to the person, and run it when they agree.' ;;
  esac
}

pushes() {
  folder_of_git=$here
  while [ $# -gt 0 ]; do
    case $1 in
      -C) folder_of_git=$(absolute "${2:-.}"); shift ;;
      -c | --git-dir | --work-tree | --namespace) shift ;;
      -*) ;;
      *) break ;;
    esac
    shift
  done
  [ "${1:-}" = push ] || return 0
  shift
  forced='' all='' removed='' remote='' targets=''
  for word in "$@"; do
    case $word in
      --force | --force=* | --force-with-lease* | --force-if-includes) forced=yes ;;
      --mirror | --prune) forced=yes all=yes ;;
      --all | --branches) all=yes ;;
      --delete) removed=yes ;;
      --*) ;;
      -*) case $word in *f*) forced=yes ;; esac; case $word in *d*) removed=yes ;; esac ;;
      *) if [ -z "$remote" ]; then remote=$word; else targets="$targets$US$word"; fi ;;
    esac
  done
  [ -n "$targets" ] || targets=$US$(git -C "$folder_of_git" symbolic-ref --short HEAD 2> /dev/null || echo main)
  IFS=$US
  for word in $targets; do
    branch=${word##*:}
    branch=${branch#+}
    branch=${branch#refs/heads/}
    [ "$branch" != HEAD ] || branch=$(git -C "$folder_of_git" symbolic-ref --short HEAD 2> /dev/null || echo main)
    harm=''
    case $word in +*) harm='rewrite' ;; :?*) harm='remove' ;; esac
    [ -z "$forced" ] || harm='rewrite'
    [ -z "$removed" ] || harm='remove'
    [ -n "$harm" ] || continue
    case $branch in *"$MARK"*) ask "Only the shell knows which branch this push would $harm." ;; esac
    case "$PROTECTED_BRANCHES" in *" $branch "*) deny "this push would $harm $branch for everybody." 'Push to a branch of your own and open a pull request.' ;; esac
    [ -z "$all" ] || deny "this push would $harm every branch for everybody." 'Push the one branch you mean.'
  done
  IFS=$newline
}
