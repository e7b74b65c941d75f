#include "device.h"

// Two kernels that call the same function, which is not inlined.
DEVICE __attribute__((noinline)) float polynomial(float x, int terms) {
  float sum = 0.0f;
  for (int i = terms; i > 0; --i) sum = sum * x + 1.0f / (float)i;
  return sum;
}

KERNEL THREADS(256) void apply_polynomial(const float *x, float *y, int terms) {
  u32 at = group_x() * 256 + thread_x();
  y[at] = polynomial(x[at], terms);
}

KERNEL THREADS(1024) void add_polynomial(const float *x, float *y, int terms) {
  u32 at = group_x() * 1024 + thread_x();
  y[at] += polynomial(x[at] * 0.5f, terms) + x[at + 1] / y[at];
}
