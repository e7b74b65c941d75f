#include "device.h"

// One kernel for each family of operations, so that the decoder meets as many opcodes as possible.
typedef unsigned long long u64;
typedef half_t half2 __attribute__((ext_vector_type(2)));
typedef float float3_t __attribute__((ext_vector_type(3)));
typedef float float4_t __attribute__((ext_vector_type(4)));

#define EACH(TYPE, NAME, BODY)                                        \
  KERNEL THREADS(256) void NAME(const TYPE *a, const TYPE *b, TYPE *c) { \
    u32 i = thread_x() + group_x() * 256;                              \
    TYPE x = a[i], y = b[i], z = c[i];                                 \
    BODY;                                                              \
    c[i] = z;                                                          \
  }

EACH(float, float_operations, {
  z = x * y + z; z += x / y; z = z < x ? z : x; z = z > y ? z : y; z -= __builtin_sqrtf(x);
  z += __builtin_floorf(y) + __builtin_truncf(x) + __builtin_rintf(z) + __builtin_ceilf(z);
  z += __builtin_amdgcn_fractf(x) * __builtin_amdgcn_ldexpf(y, 3) + __builtin_amdgcn_fmed3f(x, y, z);
  z += __builtin_amdgcn_logf(x) + __builtin_amdgcn_exp2f(y) + __builtin_amdgcn_rcpf(z);
  z += (float)(int)x + (float)(u32)y + (float)(half_t)z + __builtin_fabsf(x - 2.5f) * -3.75f;
  z += __builtin_amdgcn_frexp_mantf(x) + (float)__builtin_amdgcn_frexp_expf(y);
  if (__builtin_isnan(x)) z = y; if (__builtin_amdgcn_classf(y, 0x204)) z = x; })
EACH(double, double_operations, {
  z = x * y + z; z += x / y; z = z < x ? z : x; z = z > y ? z : y; z += __builtin_sqrt(x);
  z += __builtin_floor(y) + __builtin_trunc(x) + (double)(int)y + (double)(float)z + (double)(u32)x;
  z += __builtin_amdgcn_ldexp(x, 7) + __builtin_fabs(y); })
EACH(half_t, half_operations, {
  z = x * y + z; z += x / y; z = z < x ? z : x; z = z > y ? z : y; z += (half_t)(short)x;
  z += (half_t)(unsigned short)y + (half_t)3.5f; })
EACH(half2, packed_operations, {
  z = x * y + z; z += x - y; z = __builtin_elementwise_min(z, x); z = __builtin_elementwise_max(z, y); })
EACH(int, int_operations, {
  z += x * y; z ^= x << (y & 31); z |= x >> (y & 31); z &= ~x; z += x / (y | 1); z += x % (y | 3);
  z = z < x ? z : x; z = z > y ? z : y; z += __builtin_popcount(x) + __builtin_clz(y | 1) + __builtin_ctz(x | 8);
  z += __builtin_amdgcn_sbfe(x, 3, 7) + __builtin_amdgcn_ubfe(y, 5, 9) + __builtin_amdgcn_perm(x, y, z);
  z += __builtin_amdgcn_alignbyte(x, y, z) + (int)__builtin_bitreverse32(x) + __builtin_amdgcn_sad_u8(x, y, z);
  z += __builtin_amdgcn_readfirstlane(x) + __builtin_amdgcn_readlane(y, 5) + (x > y) + ((x ^ y) & 0x12345678);
  z += __builtin_amdgcn_mov_dpp(x, 0xb1, 0xf, 0xf, true) + __builtin_amdgcn_ds_swizzle(y, 0x801f);
  z += __builtin_amdgcn_mbcnt_lo(x, y) + __builtin_amdgcn_mbcnt_hi(x, z); })
EACH(u64, long_operations, {
  z += x * y; z ^= x << (y & 63); z |= x >> (y & 63); z += x / (y | 1); z = z < x ? z : x;
  z += (u64)((long long)x >> (y & 63)) + __builtin_popcountll(x) + __builtin_clzll(y | 1);
  z += __builtin_bitreverse64(x) + (u64)(float)y + (u64)(double)z + __builtin_readcyclecounter(); })
EACH(short, short_operations, {
  z += x * y; z = z < x ? z : x; z = z > y ? z : y; z ^= x << (y & 15); z += x >> (y & 15); z -= y; })
EACH(signed char, byte_operations, { z += x * y; z = z < x ? z : x; z ^= y; z += (signed char)(x >> 2); })
EACH(float4_t, wide_memory, { z = x + y.wzyx; })
EACH(float3_t, odd_width_memory, { z = x * y; })

KERNEL THREADS(256) void global_atomics(int *p, u32 *q, u64 *r, float *f) {
  int v = thread_x();
  int o = __atomic_fetch_add(p + v, v, 0) + __atomic_fetch_sub(p + v, 3, 0) + __atomic_fetch_and(p, v, 0);
  o += __atomic_fetch_or(p, v, 0) + __atomic_fetch_xor(p, v, 0) + __atomic_exchange_n(p + 1, v, 0);
  o += __atomic_fetch_min(p, v, 0) + __atomic_fetch_max(p, v, 0);
  o += __atomic_fetch_min(q, (u32)v, 0) + __atomic_fetch_max(q, (u32)v, 0);
  u64 w = __atomic_fetch_add(r, (u64)o, 5) + __atomic_fetch_xor(r, (u64)v, 0) + __atomic_exchange_n(r + 1, (u64)v, 0);
  u64 e = w; __atomic_compare_exchange_n(r + 2, &e, w + 1, false, 5, 5);
  int c = o; __atomic_compare_exchange_n(p + 2, &c, o + 1, false, 0, 0);
  __atomic_fetch_add(p + 3, 1, 0); __atomic_fetch_add(f, 1.5f, 0);
  p[v] = o + c + (int)e;
}

KERNEL THREADS(256) void shared_memory(int *p, u64 *r, float4_t *w) {
  SHARED static int ints[512]; SHARED static u64 longs[256]; SHARED static float4_t wide[256];
  SHARED static unsigned char bytes[256]; SHARED static short shorts[256];
  int v = thread_x();
  ints[v] = p[v]; ints[v + 256] = p[v + 256]; longs[v] = r[v]; wide[v] = w[v]; bytes[v] = (unsigned char)p[v]; shorts[v] = (short)p[v];
  barrier();
  int o = __atomic_fetch_add(ints + (v ^ 1), v, 0) + __atomic_fetch_max(ints + (v ^ 2), v, 0) + __atomic_fetch_or(ints + 3, v, 0);
  o += __atomic_exchange_n(ints + 4, v, 0) + bytes[v ^ 3] + shorts[v ^ 5] + ints[v ^ 7] + ints[(v ^ 7) + 64];
  u64 e = longs[v ^ 1]; __atomic_compare_exchange_n(longs + 2, &e, e + 1, false, 0, 0);
  barrier();
  p[v] = o; r[v] = e + __atomic_fetch_add(longs + 7, (u64)v, 0); w[v] = wide[v ^ 9];
}

KERNEL THREADS(256) void control(const int *p, int *q, int *generic_or_shared, int n) {
  SHARED static int s[256];
  int *either = n & 1 ? s : generic_or_shared;
  int v = thread_x(), sum = 0;
  s[v] = v;
  for (int i = 0; i < n; ++i) {
    switch (p[i] & 7) {
    case 0: sum += either[v]; break;
    case 1: sum *= 3; break;
    case 2: if (__builtin_amdgcn_ballot_w64(sum > v) == 0) sum ^= p[v]; break;
    case 3: while (sum > 100) sum = sum / 2 - q[sum & 255]; break;
    case 4: either[v ^ 1] = sum; break;
    default: __builtin_amdgcn_s_sleep(1); sum -= i;
    }
    if (sum == -12345) __builtin_trap();
  }
  q[v] = sum;
  __builtin_amdgcn_s_setprio(1); __builtin_amdgcn_wave_barrier(); __builtin_prefetch(p + n);
}
