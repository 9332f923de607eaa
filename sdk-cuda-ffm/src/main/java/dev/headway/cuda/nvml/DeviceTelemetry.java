package dev.headway.cuda.nvml;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.cuda.driver.NativeLibrary;

/**
 * Figures of one device through NVML, refreshed at most once per interval.
 *
 * <p>One thread at a time, off the step's path: a query takes the driver from microseconds to
 * milliseconds. {@link #refresh} allocates nothing once open. Without NVML every figure is {@link
 * dev.headway.api.Absent#ABSENT}.
 */
public final class DeviceTelemetry implements AutoCloseable {

  /** System property that names another library, by path or file name. */
  public static final String PROPERTY = "headway.nvml.library";

  private static final String DEFAULT_NAME = "libnvidia-ml.so.1";

  private final NvmlDevice device;
  private final String absentBecause;
  private final long minIntervalNs;
  private boolean asked;
  private long askedAtNs;
  private long usedBytes = ABSENT;
  private long totalBytes = ABSENT;
  private long utilisationPermille = ABSENT;

  private DeviceTelemetry(NvmlDevice device, String absentBecause, long minIntervalNs) {
    this.device = device;
    this.absentBecause = absentBecause;
    this.minIntervalNs = minIntervalNs;
  }

  /**
   * Looks for NVML and the device; never throws because of what it finds.
   *
   * @param pciBusId of the device, as in {@code DeviceInfo.pciBusId}
   * @param minIntervalNs queries closer than this to the last one are skipped; at least 1 ms
   */
  public static DeviceTelemetry open(String pciBusId, long minIntervalNs) {
    return open(
        NativeLibrary.open(System.getProperty(PROPERTY, DEFAULT_NAME)), pciBusId, minIntervalNs);
  }

  static DeviceTelemetry open(NativeLibrary library, String pciBusId, long minIntervalNs) {
    if (minIntervalNs < 1_000_000) {
      throw new IllegalArgumentException(
          "minIntervalNs must be >= 1000000, a query can take a millisecond: minIntervalNs="
              + minIntervalNs);
    }
    final NvmlOpening opening = NvmlOpening.of(library, pciBusId);
    return new DeviceTelemetry(opening.device(), opening.absentBecause(), minIntervalNs);
  }

  /**
   * Asks again if the interval has passed.
   *
   * @param nowNs the caller's clock, monotonic
   * @return whether NVML was asked
   */
  public boolean refresh(long nowNs) {
    if (asked && nowNs - askedAtNs < minIntervalNs) {
      return false;
    }
    asked = true;
    askedAtNs = nowNs;
    usedBytes = device.usedBytes();
    totalBytes = device.totalBytes();
    utilisationPermille = device.utilisationPermille();
    return true;
  }

  /** Device memory in use by all processes, at the last query. */
  public long usedBytes() {
    return usedBytes;
  }

  /** Device memory, at the last query. */
  public long totalBytes() {
    return totalBytes;
  }

  /**
   * Share of NVML's last sample period in which a kernel ran, in permille; NVML resolves percent.
   */
  public long utilisationPermille() {
    return utilisationPermille;
  }

  /** Why all figures are absent; empty if NVML has the device. */
  public String absentBecause() {
    return absentBecause;
  }

  /** Lets NVML go; figures stay as they are. */
  @Override
  public void close() {
    device.close();
  }
}
