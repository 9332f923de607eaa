package dev.headway.cuda.kernel;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.DeviceInfo;

/** All kernels of a device. Lives as long as the device, which closes it; device thread only. */
public final class Kernels {
  private final CudaModule module;
  private final DeviceInfo device;
  private final RowKernels rows;
  private final LinearKernels linear;
  private final SamplingKernels sampling;

  private Kernels(CudaModule module, DeviceInfo device) {
    this.module = module;
    this.device = device;
    this.rows = new RowKernels(module);
    this.linear = new LinearKernels(module, device);
    this.sampling = new SamplingKernels(module);
  }

  /**
   * Loads the image and finds every kernel; the driver's compiler takes a second or two the first
   * time and keeps what it made.
   *
   * @throws dev.headway.cuda.CudaUnavailableException if the driver is too old
   */
  public static Kernels load(CudaDevice device) {
    return new Kernels(device.loadModule("headway kernels", KernelImage.ptx()), device.info());
  }

  /** Norms, embeddings, activation, rotary embedding. */
  public RowKernels rows() {
    return rows;
  }

  /** Products with weights. */
  public LinearKernels linear() {
    return linear;
  }

  /** Attention of one shape; cold. */
  public AttentionKernels attention(AttentionKernelShape shape) {
    return new AttentionKernels(module, shape, device);
  }

  /** From logits to tokens. */
  public SamplingKernels sampling() {
    return sampling;
  }
}
