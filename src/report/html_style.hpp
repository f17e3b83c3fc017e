// The style sheet of a report's page.
#pragma once

namespace bitbayes::report {

inline constexpr const char* kPageStyle = R"css(
:root{color-scheme:light dark;--ground:#ffffff;--ink:#1d2329;--soft:#59636e;--line:#d8dee4;
--shade:#f4f6f8;--link:#0052a3;--good:#1a6b3c;--good-ground:#def3e5;--bad:#a3220f;
--bad-ground:#fde4df;--open:#6b5300;--open-ground:#f8efcc}
@media screen and (prefers-color-scheme:dark){:root{--ground:#15181c;--ink:#e6e9ec;--soft:#a0a9b2;
--line:#343b43;--shade:#1e2328;--link:#7db4f5;--good:#7fdba5;--good-ground:#173524;--bad:#ff9b88;
--bad-ground:#43201a;--open:#ecd06f;--open-ground:#3a3216}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding:2rem 1rem 4rem;background:var(--ground);color:var(--ink);
font:1.0625rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;
overflow-wrap:break-word}
header,nav,main>section>*{max-width:46rem;margin-left:auto;margin-right:auto}
main>section>figure{max-width:70rem}
main>section>.scroll{width:fit-content;max-width:min(70rem,100%)}
td:not(.number){min-width:7.5rem}
h1{font-size:2rem;line-height:1.2;margin:0 0 .75rem}
h2{font-size:1.4rem;line-height:1.3;margin-top:3rem;padding-top:.5rem;border-top:1px solid var(--line)}
.summary{font-size:1.15rem;color:var(--soft);margin:0}
nav{margin-top:2rem;padding:1rem 1.25rem;background:var(--shade);border-radius:6px}
nav h2{font-size:1rem;margin:0;padding:0;border:0}
nav ol{margin:.4rem 0 0;padding-left:1.4rem}
a{color:var(--link);text-underline-offset:.15em}
code,pre{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
code{background:var(--shade);padding:.1em .3em;border-radius:3px}
pre{background:var(--shade);padding:.9rem 1.1rem;border-radius:6px;overflow-x:auto;white-space:pre-wrap}
main>section>.scroll,main>section>pre{margin-top:1.25rem;margin-bottom:1.25rem}
.scroll{overflow-x:auto}
.scroll:focus-visible{outline:2px solid var(--link);outline-offset:3px}
table{border-collapse:collapse;font-size:.95rem;font-variant-numeric:tabular-nums}
th,td{padding:.4rem .8rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--soft);white-space:nowrap}
td[style]{background:color-mix(in srgb,var(--link) calc(45%*var(--heat)),transparent)}
.number{text-align:right;white-space:nowrap}
.badge{display:inline-block;padding:.05em .6em;border-radius:1em;font-size:.9em;font-weight:600;
white-space:nowrap}
.good{color:var(--good);background:var(--good-ground)}
.bad{color:var(--bad);background:var(--bad-ground)}
.open{color:var(--open);background:var(--open-ground)}
figure{margin-top:2rem;margin-bottom:2rem}
figure svg{display:block;margin:0 auto}
figcaption{max-width:46rem;margin:.6rem auto 0;color:var(--soft);font-size:.95rem}
@media (max-width:30rem){body{padding-top:1.25rem;font-size:1rem}h1{font-size:1.6rem}
th,td{padding:.4rem .5rem}}
@media print{body{padding:0;font-size:10pt}nav{display:none}h2{break-after:avoid}
figure,table,pre{break-inside:avoid}.scroll{overflow:visible}.drawing{min-width:0!important}
.badge{border:1px solid}}
)css";

}  // namespace bitbayes::report
