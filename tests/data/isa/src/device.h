// What the kernels need of the HIP headers, so that no ROCm is installed to build them.
#pragma once
#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define THREADS(n) __attribute__((amdgpu_flat_work_group_size(1, n)))

typedef _Float16 half_t;
typedef unsigned int u32;

DEVICE static inline u32 thread_x() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE static inline u32 group_x() { return __builtin_amdgcn_workgroup_id_x(); }
DEVICE static inline u32 group_y() { return __builtin_amdgcn_workgroup_id_y(); }
DEVICE static inline void barrier() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

// The host compilation asks for this declaration of the runtime.
struct dim3 { u32 x, y, z; };
typedef int hipError_t;
typedef struct ihipStream_t *hipStream_t;
extern "C" hipError_t hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, hipStream_t);
