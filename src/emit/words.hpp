// Words that cannot be the name of an export.
#pragma once

#include <string_view>

namespace bitbayes::emit {

/// Keywords of IEEE 1364-2001 and of IEEE 1800-2017, which Verilator reads; each between blanks.
inline constexpr std::string_view kVerilogWords =
    " accept_on alias always always_comb always_ff always_latch and assert assign assume automatic "
    "before begin bind bins binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle "
    "checker class clocking cmos config const constraint context continue cover covergroup "
    "coverpoint cross deassign default defparam design disable dist do edge else end endcase "
    "endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface "
    "endmodule endpackage endprimitive endprogram endproperty endsequence endspecify endtable "
    "endtask enum event eventually expect export extends extern final first_match for force "
    "foreach "
    "forever fork forkjoin function generate genvar global highz0 highz1 if iff ifnone ignore_bins "
    "illegal_bins implements implies import incdir include initial inout input inside instance int "
    "integer interconnect interface intersect join join_any join_none large let liblist library "
    "local localparam logic longint macromodule matches medium modport module nand negedge nettype "
    "new nexttime nmos nor noshowcancelled not notif0 notif1 null or output package packed "
    "parameter "
    "pmos posedge primitive priority program property protected pull0 pull1 pulldown pullup "
    "pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase randsequence rcmos real "
    "realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1 "
    "s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal "
    "showcancelled signed small soft solve specify specparam static string strong strong0 strong1 "
    "struct super supply0 supply1 sync_accept_on sync_reject_on table tagged task this throughout "
    "time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand trior trireg type "
    "typedef "
    "union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void "
    "wait "
    "wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor ";

/// Keywords of C11 and of C++20.
inline constexpr std::string_view kCWords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename union unsigned using virtual void "
    "volatile wchar_t while xor xor_eq ";

/// Functions of the C library, and main.
inline constexpr std::string_view kLibraryWords =
    " abort abs acos acosh asctime asin asinh assert atan atan2 atanh atexit atof atoi atol atoll "
    "bsearch calloc cbrt ceil clearerr clock copysign cos cosh ctime difftime div erf erfc errno "
    "exit exp exp2 expm1 fabs fclose fdim feof ferror fflush fgetc fgetpos fgets floor fma fmax "
    "fmin fmod fopen fprintf fputc fputs fread free freopen frexp fscanf fseek fsetpos ftell "
    "fwrite getc getchar getenv gets gmtime hypot ilogb isalnum isalpha isblank iscntrl isdigit "
    "isfinite isgraph isinf islower isnan isprint ispunct isspace isupper isxdigit labs ldexp ldiv "
    "lgamma llabs lldiv llrint llround localeconv localtime log log10 log1p log2 logb longjmp "
    "lrint lround main malloc mblen mbstowcs mbtowc memchr memcmp memcpy memmove memset mktime "
    "modf nan nearbyint nextafter offsetof perror pow printf putc putchar puts qsort raise rand "
    "realloc remainder remove remquo rename rewind rint round scalbn scanf setbuf setjmp setlocale "
    "setvbuf signal sin sinh snprintf sprintf sqrt srand sscanf stderr stdin stdout strcat strchr "
    "strcmp strcoll strcpy strcspn strerror strftime strlen strncat strncmp strncpy strpbrk "
    "strrchr strspn strstr strtod strtof strtok strtol strtold strtoll strtoul strtoull strxfrm "
    "system tan tanh tgamma time tmpfile tmpnam tolower toupper trunc ungetc vfprintf vprintf "
    "vsnprintf vsprintf wcstombs wctomb ";

/// Headers of C, and those that they include from the same folders; without .h.
inline constexpr std::string_view kHeaders =
    " alloca assert byteswap complex ctype endian errno features fenv inttypes iso646 libio limits "
    "locale math memory newlib setjmp signal stdalign stdarg stdatomic stdbool stddef stdint stdio "
    "stdlib stdnoreturn string strings tgmath threads time uchar unistd wchar wctype xlocale ";

}  // namespace bitbayes::emit
