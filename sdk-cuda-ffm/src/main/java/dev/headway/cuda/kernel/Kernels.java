package dev.headway.cuda.kernel;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.DeviceInfo;

/** All kernels of a device. Lives as long as the device, which closes it; device thread only. */
public final class Kernels {
  private final CudaModule module;
  private final DeviceInfo device;
  private final String origin;
  private final RowKernels rows;
  private final TableKernels tables;
  private final LinearKernels linear;
  private final ExpertKernels experts;
  private final LoraKernels lora;
  private final TokenRuleKernels tokenRules;
  private final SamplingKernels sampling;

  private Kernels(CudaModule module, DeviceInfo device, String origin) {
    this.module = module;
    this.device = device;
    this.origin = origin;
    this.rows = new RowKernels(module);
    this.tables = new TableKernels(module);
    this.linear = new LinearKernels(module, device);
    this.experts = new ExpertKernels(module);
    this.lora = new LoraKernels(module);
    this.tokenRules = new TokenRuleKernels(module);
    this.sampling = new SamplingKernels(module);
  }

  /**
   * Loads the machine code for the device, where there is any and the driver takes it, else the
   * PTX, and finds every kernel. The driver's compiler takes three seconds for PTX the first time
   * and keeps what it made.
   *
   * @throws dev.headway.cuda.CudaUnavailableException if the driver is too old
   * @throws dev.headway.cuda.CudaException if it refuses the PTX, or the device is lost
   */
  public static Kernels load(CudaDevice device) {
    final KernelImage.Loaded loaded = KernelImage.ALL.load(device);
    return new Kernels(loaded.module(), device.info(), loaded.origin());
  }

  /** What was loaded, and why not the machine code where the driver refused it; for reports. */
  public String origin() {
    return origin;
  }

  /** Norms, embeddings, activation, rotary embedding. */
  public RowKernels rows() {
    return rows;
  }

  /** Block tables. */
  public TableKernels tables() {
    return tables;
  }

  /** Products with weights. */
  public LinearKernels linear() {
    return linear;
  }

  /** Mixtures of experts. */
  public ExpertKernels experts() {
    return experts;
  }

  /** What adapters add to products. */
  public LoraKernels lora() {
    return lora;
  }

  /** Attention of one shape; cold. */
  public AttentionKernels attention(AttentionKernelShape shape) {
    return new AttentionKernels(module, shape, device);
  }

  /** Biases, bans and masks. */
  public TokenRuleKernels tokenRules() {
    return tokenRules;
  }

  /** From logits to tokens. */
  public SamplingKernels sampling() {
    return sampling;
  }
}
