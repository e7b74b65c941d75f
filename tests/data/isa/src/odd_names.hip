#include "device.h"

// Symbols that a careless reader trips over.
KERNEL THREADS(256) void name_spaces(float *y) __asm__("a name with spaces");
KERNEL THREADS(256) void name_spaces(float *y) { y[thread_x()] = 1.0f; }

KERNEL THREADS(256) void name_quotes(float *y) __asm__("quote'\"; DROP TABLE rows; --");
KERNEL THREADS(256) void name_quotes(float *y) { y[thread_x()] *= 2.0f; }

KERNEL THREADS(256) void name_kd(float *y) __asm__("ends.kd");
KERNEL THREADS(256) void name_kd(float *y) { y[thread_x()] += 3.0f; }

KERNEL THREADS(256) void name_unicode(float *y) __asm__("größe_μs");
KERNEL THREADS(256) void name_unicode(float *y) { y[thread_x()] -= y[thread_x() + 1]; }

template <int N> struct Tag {};
template <int N> __attribute__((global)) THREADS(256) void templated(Tag<N>, float *y) {
  y[thread_x()] *= (float)N;
}
template __attribute__((global)) void templated<3>(Tag<3>, float *y);
