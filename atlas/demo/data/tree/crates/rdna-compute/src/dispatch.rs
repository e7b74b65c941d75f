// Stands in for the engine's dispatch: a place that names kernels.
pub fn norm(gpu: &Gpu, x: &Tensor) {
    gpu.launch_kernel("rmsnorm_rotate", x.grid(), x.block());
}

pub fn attention(gpu: &Gpu, q: &Tensor) {
    if env("HIPFIRE_ATTN_FLASH") == "1" {
        gpu.launch_kernel("attention_flash_asym3", q.grid(), q.block());
    }
}
