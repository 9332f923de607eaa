package dev.headway.simulation.step;

/**
 * What the host adds to a step that the device does not hide: planning, preparing inputs, sampling,
 * detokenising, sending.
 *
 * @param stepNs for every step, >= 0
 * @param requestNs for every request in it, >= 0
 * @param launchNs to start a kernel where no CUDA graph does, >= 0; the device hides it as long as
 *     its kernels take longer
 */
public record HostTime(double stepNs, double requestNs, double launchNs) {

  /**
   * What PyTorch takes per kernel of {@link dev.headway.simulation.model.ForwardPass#kernels}, an
   * estimate from one published pair: a decode step of Llama-3.1-8B on an H100 takes 8.4 ms in
   * eager mode and 5.1 ms as a graph (cloudai.pt, "CUDA Graphs + torch.compile"), so the launches
   * of its 321 kernels are what it waits for. A slower host needs more: Qwen2.5-Omni-7B on an A800
   * takes 22 ms against 13 ms (vllm-omni, issue 7960), 78 µs for each of 281.
   */
  public static final double EAGER_LAUNCH_NS = 26_000;

  /** A host that takes no time. */
  public static final HostTime NONE = new HostTime(0, 0, 0);

  /** Validates the components. */
  public HostTime {
    if (!(stepNs >= 0 && requestNs >= 0 && launchNs >= 0)) {
      throw new IllegalArgumentException(
          "stepNs, requestNs and launchNs must be >= 0: stepNs="
              + stepNs
              + ", requestNs="
              + requestNs
              + ", launchNs="
              + launchNs);
    }
  }

  /** A host whose launches take no time of their own. */
  public HostTime(double stepNs, double requestNs) {
    this(stepNs, requestNs, 0);
  }

  /** The host's part of a step of so many requests. */
  public double ns(int requests) {
    return stepNs + requests * requestNs;
  }
}
