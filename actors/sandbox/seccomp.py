"""The system calls that a sandboxed command may not make, as a program for the kernel.

The namespaces already withhold most of this. The filter closes what they leave open: interfaces
with a record of kernel bugs (io_uring, bpf), new namespaces, the keys of other sessions, typing
into another terminal (TIOCSTI), and programs that run as their owner (set-user-ID).
"""

import errno
import struct
from dataclasses import dataclass

# Offsets in `struct seccomp_data`.
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _JUMP_IF_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW = 0x7FFF0000
_FAIL = 0x00050000
_NAMESPACE_FLAGS = 0x7E020000 | 0x80
"""CLONE_NEWUSER and the like, for `clone` and `unshare`."""
_SET_USER_ID = 0o4000
_X32_BIT = 0x40000000
"""Calls of the x32 interface have their own numbers, which the list does not name."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A system call that fails, always or with certain arguments."""

    x86_64: int | None
    aarch64: int | None
    argument: int | None = None
    """Number of the argument to check; None: it always fails."""
    any_bit: int = 0
    """It fails if the argument has one of these bits."""
    values: tuple[int, ...] = ()
    """It fails if the argument is one of these."""
    error: int = errno.EPERM


_CALLS = (
    _Call(425, 425),  # io_uring_setup
    _Call(426, 426),  # io_uring_enter
    _Call(427, 427),  # io_uring_register
    _Call(321, 280),  # bpf
    _Call(298, 241),  # perf_event_open
    _Call(323, 282),  # userfaultfd
    _Call(248, 217),  # add_key
    _Call(249, 218),  # request_key
    _Call(250, 219),  # keyctl
    _Call(246, 104),  # kexec_load
    _Call(320, 294),  # kexec_file_load
    _Call(175, 105),  # init_module
    _Call(313, 273),  # finit_module
    _Call(304, 265),  # open_by_handle_at
    _Call(165, 40),  # mount
    _Call(166, 39),  # umount2
    _Call(155, 41),  # pivot_root
    _Call(428, 428),  # open_tree
    _Call(429, 429),  # move_mount
    _Call(430, 430),  # fsopen
    _Call(432, 432),  # fsmount
    _Call(442, 442),  # mount_setattr
    _Call(308, 268),  # setns
    _Call(272, 97, 0, any_bit=_NAMESPACE_FLAGS),  # unshare
    _Call(56, 220, 0, any_bit=_NAMESPACE_FLAGS & ~0x80),  # clone; its low byte is a signal
    # clone3 has its flags in memory, which a filter cannot read. The C library then uses clone.
    _Call(435, 435, error=errno.ENOSYS),
    _Call(16, 29, 1, values=(0x5412, 0x541C)),  # ioctl: TIOCSTI, TIOCLINUX
    _Call(90, None, 1, any_bit=_SET_USER_ID),  # chmod
    _Call(91, 52, 1, any_bit=_SET_USER_ID),  # fchmod
    _Call(268, 53, 2, any_bit=_SET_USER_ID),  # fchmodat
    _Call(452, 452, 2, any_bit=_SET_USER_ID),  # fchmodat2
    _Call(2, None, 2, any_bit=_SET_USER_ID),  # open
    _Call(85, None, 1, any_bit=_SET_USER_ID),  # creat
    _Call(257, 56, 3, any_bit=_SET_USER_ID),  # openat
    _Call(437, 437, error=errno.ENOSYS),  # openat2: its mode is in memory; callers use openat
    _Call(133, None, 1, any_bit=_SET_USER_ID),  # mknod
    _Call(259, 33, 2, any_bit=_SET_USER_ID),  # mknodat
)
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


def build_filter(machine: str) -> bytes | None:
    """Return the filter for `platform.machine()`; None: the machine is not supported."""
    architecture = _ARCHITECTURES.get(machine)
    if architecture is None:
        return None
    program = [
        _instruct(_LOAD, _ARCHITECTURE_AT),
        # A 32-bit program has other numbers, so it may make no call at all.
        _instruct(_JUMP_IF_EQUAL, architecture, if_true=1),
        _fail(errno.EPERM),
        _instruct(_LOAD, _NUMBER_AT),
    ]
    if machine == "x86_64":
        program += [_instruct(_JUMP_IF_AT_LEAST, _X32_BIT, if_false=1), _fail(errno.ENOSYS)]
    for call in _CALLS:
        number = call.x86_64 if machine == "x86_64" else call.aarch64
        if number is not None:
            program += _build_check(number, call)
    program.append(_instruct(_RETURN, _ALLOW))
    return b"".join(program)


def _build_check(number: int, call: _Call) -> list[bytes]:
    """Return the instructions for one call; they leave the call's number loaded."""
    if call.argument is None:
        return [_instruct(_JUMP_IF_EQUAL, number, if_false=1), _fail(call.error)]
    checks = [(_JUMP_IF_EQUAL, value) for value in call.values]
    if call.any_bit:
        checks.append((_JUMP_IF_ANY_BIT, call.any_bit))
    # The lower half of a 64-bit argument is enough: the kernel reads these as 32 bits.
    body = [_instruct(_LOAD, _ARGUMENTS_AT + 8 * call.argument)]
    for code, operand in checks:
        body += [_instruct(code, operand, if_false=1), _fail(call.error)]
    body.append(_instruct(_LOAD, _NUMBER_AT))
    return [_instruct(_JUMP_IF_EQUAL, number, if_false=len(body)), *body]


def _instruct(code: int, operand: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, operand)


def _fail(error: int) -> bytes:
    return _instruct(_RETURN, _FAIL | error)
