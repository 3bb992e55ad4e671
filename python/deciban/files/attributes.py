"""Owner, group, mode and extended attributes, which a file keeps when it is replaced."""

from __future__ import annotations

import errno
import os
import stat
import sys

_ACL = "system.posix_acl_access"
_SELINUX = "security.selinux"
# What a user may not give, and a file system does not have.
_DENIED = (errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOTSUP, errno.ENOSYS)


def copy_attributes(target: str, handle: int) -> None:
    """Give the new file at `handle` the attributes of the one at `target`.

    The new file must be readable for nobody but its owner so far. At no moment does anybody get more rights to it than
    to the other file: where the group or the access control list cannot be kept, rights are left out.
    """
    if sys.platform == "win32":
        return  # where rights are those of the folder
    about = os.stat(target)
    mode = stat.S_IMODE(about.st_mode)
    has_group = _give_to(handle, about)
    if not has_group:  # members of either group change places with all others
        both = mode & mode >> 3 & stat.S_IRWXO
        mode = mode & stat.S_IRWXU | both << 3 | both
    if not _copy_extended(target, handle, has_group):
        mode &= ~(stat.S_IRWXG | stat.S_IRWXO)
    os.fchmod(handle, mode)


def _give_to(handle: int, about: os.stat_result) -> bool:
    """Give the file to owner and group, as far as this user may; return whether the group has it."""
    if sys.platform == "win32":
        return True
    own = os.fstat(handle)
    if (own.st_uid, own.st_gid) == (about.st_uid, about.st_gid):
        return True
    for uid in (about.st_uid, -1):
        try:
            os.fchown(handle, uid, about.st_gid)
            return True
        except OSError as error:
            if error.errno not in _DENIED:
                raise
    return own.st_gid == about.st_gid


def _copy_extended(target: str, handle: int, with_list: bool) -> bool:
    """Copy extended attributes; return whether the access control list is the same."""
    if sys.platform != "linux":
        return True
    try:
        given, own = os.listxattr(target), os.listxattr(handle)
    except OSError as error:
        if error.errno not in _DENIED:
            raise
        return True  # a file system without them
    if _ACL in own:  # what the folder gives to new files
        os.removexattr(handle, _ACL)
    for name in given:
        if name.startswith("user."):
            os.setxattr(handle, name, os.getxattr(target, name))
        elif name == _SELINUX:
            _try_to_copy(name, target, handle)
    return _ACL not in given or (with_list and _try_to_copy(_ACL, target, handle))


def _try_to_copy(name: str, target: str, handle: int) -> bool:
    if sys.platform == "linux":
        try:
            os.setxattr(handle, name, os.getxattr(target, name))
        except OSError as error:
            if error.errno not in _DENIED:
                raise
            return False
    return True
