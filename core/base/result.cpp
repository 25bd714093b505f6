// SPDX-License-Identifier: Apache-2.0
#include "core/base/result.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <utility>

namespace roceready {
namespace {

struct Errno {
  int value;
  const char* name;
};

#define ROCEREADY_ERRNO(name) \
  Errno {                     \
    name, #name               \
  }
/// Where two names share a number on Linux (EAGAIN, EOPNOTSUPP, EDEADLK) the first one names it, both are understood.
constexpr Errno kErrnos[] = {
    ROCEREADY_ERRNO(EPERM),
    ROCEREADY_ERRNO(ENOENT),
    ROCEREADY_ERRNO(ESRCH),
    ROCEREADY_ERRNO(EINTR),
    ROCEREADY_ERRNO(EIO),
    ROCEREADY_ERRNO(ENXIO),
    ROCEREADY_ERRNO(E2BIG),
    ROCEREADY_ERRNO(ENOEXEC),
    ROCEREADY_ERRNO(EBADF),
    ROCEREADY_ERRNO(ECHILD),
    ROCEREADY_ERRNO(EAGAIN),
    ROCEREADY_ERRNO(EWOULDBLOCK),
    ROCEREADY_ERRNO(ENOMEM),
    ROCEREADY_ERRNO(EACCES),
    ROCEREADY_ERRNO(EFAULT),
    ROCEREADY_ERRNO(ENOTBLK),
    ROCEREADY_ERRNO(EBUSY),
    ROCEREADY_ERRNO(EEXIST),
    ROCEREADY_ERRNO(EXDEV),
    ROCEREADY_ERRNO(ENODEV),
    ROCEREADY_ERRNO(ENOTDIR),
    ROCEREADY_ERRNO(EISDIR),
    ROCEREADY_ERRNO(EINVAL),
    ROCEREADY_ERRNO(ENFILE),
    ROCEREADY_ERRNO(EMFILE),
    ROCEREADY_ERRNO(ENOTTY),
    ROCEREADY_ERRNO(ETXTBSY),
    ROCEREADY_ERRNO(EFBIG),
    ROCEREADY_ERRNO(ENOSPC),
    ROCEREADY_ERRNO(ESPIPE),
    ROCEREADY_ERRNO(EROFS),
    ROCEREADY_ERRNO(EMLINK),
    ROCEREADY_ERRNO(EPIPE),
    ROCEREADY_ERRNO(EDOM),
    ROCEREADY_ERRNO(ERANGE),
    ROCEREADY_ERRNO(EDEADLK),
    ROCEREADY_ERRNO(EDEADLOCK),
    ROCEREADY_ERRNO(ENAMETOOLONG),
    ROCEREADY_ERRNO(ENOLCK),
    ROCEREADY_ERRNO(ENOSYS),
    ROCEREADY_ERRNO(ENOTEMPTY),
    ROCEREADY_ERRNO(ELOOP),
    ROCEREADY_ERRNO(ENOMSG),
    ROCEREADY_ERRNO(EIDRM),
    ROCEREADY_ERRNO(ECHRNG),
    ROCEREADY_ERRNO(EL2NSYNC),
    ROCEREADY_ERRNO(EL3HLT),
    ROCEREADY_ERRNO(EL3RST),
    ROCEREADY_ERRNO(ELNRNG),
    ROCEREADY_ERRNO(EUNATCH),
    ROCEREADY_ERRNO(ENOCSI),
    ROCEREADY_ERRNO(EL2HLT),
    ROCEREADY_ERRNO(EBADE),
    ROCEREADY_ERRNO(EBADR),
    ROCEREADY_ERRNO(EXFULL),
    ROCEREADY_ERRNO(ENOANO),
    ROCEREADY_ERRNO(EBADRQC),
    ROCEREADY_ERRNO(EBADSLT),
    ROCEREADY_ERRNO(EBFONT),
    ROCEREADY_ERRNO(ENOSTR),
    ROCEREADY_ERRNO(ENODATA),
    ROCEREADY_ERRNO(ETIME),
    ROCEREADY_ERRNO(ENOSR),
    ROCEREADY_ERRNO(ENONET),
    ROCEREADY_ERRNO(ENOPKG),
    ROCEREADY_ERRNO(EREMOTE),
    ROCEREADY_ERRNO(ENOLINK),
    ROCEREADY_ERRNO(EADV),
    ROCEREADY_ERRNO(ESRMNT),
    ROCEREADY_ERRNO(ECOMM),
    ROCEREADY_ERRNO(EPROTO),
    ROCEREADY_ERRNO(EMULTIHOP),
    ROCEREADY_ERRNO(EDOTDOT),
    ROCEREADY_ERRNO(EBADMSG),
    ROCEREADY_ERRNO(EOVERFLOW),
    ROCEREADY_ERRNO(ENOTUNIQ),
    ROCEREADY_ERRNO(EBADFD),
    ROCEREADY_ERRNO(EREMCHG),
    ROCEREADY_ERRNO(ELIBACC),
    ROCEREADY_ERRNO(ELIBBAD),
    ROCEREADY_ERRNO(ELIBSCN),
    ROCEREADY_ERRNO(ELIBMAX),
    ROCEREADY_ERRNO(ELIBEXEC),
    ROCEREADY_ERRNO(EILSEQ),
    ROCEREADY_ERRNO(ERESTART),
    ROCEREADY_ERRNO(ESTRPIPE),
    ROCEREADY_ERRNO(EUSERS),
    ROCEREADY_ERRNO(ENOTSOCK),
    ROCEREADY_ERRNO(EDESTADDRREQ),
    ROCEREADY_ERRNO(EMSGSIZE),
    ROCEREADY_ERRNO(EPROTOTYPE),
    ROCEREADY_ERRNO(ENOPROTOOPT),
    ROCEREADY_ERRNO(EPROTONOSUPPORT),
    ROCEREADY_ERRNO(ESOCKTNOSUPPORT),
    ROCEREADY_ERRNO(EOPNOTSUPP),
    ROCEREADY_ERRNO(ENOTSUP),
    ROCEREADY_ERRNO(EPFNOSUPPORT),
    ROCEREADY_ERRNO(EAFNOSUPPORT),
    ROCEREADY_ERRNO(EADDRINUSE),
    ROCEREADY_ERRNO(EADDRNOTAVAIL),
    ROCEREADY_ERRNO(ENETDOWN),
    ROCEREADY_ERRNO(ENETUNREACH),
    ROCEREADY_ERRNO(ENETRESET),
    ROCEREADY_ERRNO(ECONNABORTED),
    ROCEREADY_ERRNO(ECONNRESET),
    ROCEREADY_ERRNO(ENOBUFS),
    ROCEREADY_ERRNO(EISCONN),
    ROCEREADY_ERRNO(ENOTCONN),
    ROCEREADY_ERRNO(ESHUTDOWN),
    ROCEREADY_ERRNO(ETOOMANYREFS),
    ROCEREADY_ERRNO(ETIMEDOUT),
    ROCEREADY_ERRNO(ECONNREFUSED),
    ROCEREADY_ERRNO(EHOSTDOWN),
    ROCEREADY_ERRNO(EHOSTUNREACH),
    ROCEREADY_ERRNO(EALREADY),
    ROCEREADY_ERRNO(EINPROGRESS),
    ROCEREADY_ERRNO(ESTALE),
    ROCEREADY_ERRNO(EUCLEAN),
    ROCEREADY_ERRNO(ENOTNAM),
    ROCEREADY_ERRNO(ENAVAIL),
    ROCEREADY_ERRNO(EISNAM),
    ROCEREADY_ERRNO(EREMOTEIO),
    ROCEREADY_ERRNO(EDQUOT),
    ROCEREADY_ERRNO(ENOMEDIUM),
    ROCEREADY_ERRNO(EMEDIUMTYPE),
    ROCEREADY_ERRNO(ECANCELED),
    ROCEREADY_ERRNO(ENOKEY),
    ROCEREADY_ERRNO(EKEYEXPIRED),
    ROCEREADY_ERRNO(EKEYREVOKED),
    ROCEREADY_ERRNO(EKEYREJECTED),
    ROCEREADY_ERRNO(EOWNERDEAD),
    ROCEREADY_ERRNO(ENOTRECOVERABLE),
    ROCEREADY_ERRNO(ERFKILL),
    ROCEREADY_ERRNO(EHWPOISON),
    Errno{524, "ENOTSUPP"},  // the kernel's own, leaks from some drivers; no user header has it
};
#undef ROCEREADY_ERRNO

constexpr int kKernelNotSupported = 524;

constexpr std::array<std::pair<ErrorCode, const char*>, 11> kCodes{{
    {ErrorCode::NotFound, "not_found"},
    {ErrorCode::NotSupported, "not_supported"},
    {ErrorCode::Denied, "denied"},
    {ErrorCode::Malformed, "malformed"},
    {ErrorCode::TimedOut, "timed_out"},
    {ErrorCode::Filtered, "filtered"},
    {ErrorCode::OtherNamespace, "other_namespace"},
    {ErrorCode::NotRecorded, "not_recorded"},
    {ErrorCode::Changed, "changed"},
    {ErrorCode::Usage, "usage"},
    {ErrorCode::Io, "io"},
}};

/// if, not switch: several of these names share a number.
ErrorCode code_of(int value) {
  if (value == ENOENT || value == ENODEV || value == ENXIO || value == ENOTDIR) return ErrorCode::NotFound;
  if (value == EOPNOTSUPP || value == ENOTSUP || value == ENOSYS || value == ENOTTY || value == kKernelNotSupported)
    return ErrorCode::NotSupported;
  if (value == EPERM || value == EACCES) return ErrorCode::Denied;
  if (value == EINVAL || value == EBADMSG) return ErrorCode::Malformed;
  if (value == ETIMEDOUT || value == EAGAIN) return ErrorCode::TimedOut;
  return ErrorCode::Io;
}

}  // namespace

Error os_error(int errno_value, std::string what, std::string where) {
  return Error{code_of(errno_value), std::move(what), std::move(where), errno_value};
}

std::string errno_name(int errno_value) {
  for (const Errno& entry : kErrnos)
    if (entry.value == errno_value) return entry.name;
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), errno_value);
  return std::string(digits.data(), end.ptr);
}

int errno_from_name(const std::string& name) {
  for (const Errno& entry : kErrnos)
    if (name == entry.name) return entry.value;
  return 0;
}

const char* name_of(ErrorCode code) {
  for (const auto& [value, name] : kCodes)
    if (value == code) return name;
  return "io";
}

ErrorCode error_code_from_name(const std::string& name) {
  for (const auto& [value, text] : kCodes)
    if (name == text) return value;
  return ErrorCode::Io;
}

}  // namespace roceready
