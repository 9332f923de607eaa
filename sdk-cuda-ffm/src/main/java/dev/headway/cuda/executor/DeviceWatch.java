package dev.headway.cuda.executor;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.time.NanoClock;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.nvml.DeviceTelemetry;

/**
 * State of the device, read once a second: through NVML on a thread of its own, since a query can
 * take a millisecond of a step of five; without NVML the memory in use as the driver reports it,
 * which takes microseconds. Device thread only.
 */
final class DeviceWatch implements AutoCloseable {
  private static final long INTERVAL_NS = 1_000_000_000;
  private static final long LONGEST_QUERY_MS = 2_000;

  private final CudaDevice device;
  private final NanoClock clock;
  private final DeviceTelemetry telemetry;
  private final Thread asking;
  private volatile long usedBytes = ABSENT;
  private volatile long utilizationPermille = ABSENT;
  private long usedByDriver;
  private boolean looked;
  private long lookedAtNs;

  DeviceWatch(CudaDevice device, NanoClock clock) {
    this.device = device;
    this.clock = clock;
    telemetry = DeviceTelemetry.open(device.info().pciBusId(), INTERVAL_NS);
    asking = Thread.ofPlatform().name("headway-nvml").daemon().unstarted(this::ask);
    if (telemetry.absentBecause().isEmpty()) {
      refresh(); // so that the first step has figures
      asking.start();
    }
  }

  private void ask() {
    try {
      while (true) {
        Thread.sleep(INTERVAL_NS / 1_000_000);
        refresh();
      }
    } catch (InterruptedException e) {
      // closed
    }
  }

  private void refresh() {
    telemetry.refresh(System.nanoTime());
    usedBytes = telemetry.usedBytes();
    utilizationPermille = telemetry.utilisationPermille();
  }

  /** Adds the state to the results of a step. */
  void look(StepResults results) {
    final long usedByNvml = usedBytes;
    results.memoryUsedBytes = usedByNvml == ABSENT ? usedByDriver() : usedByNvml;
    results.utilizationPermille = utilizationPermille;
  }

  /** Asks the driver again if it is time. */
  private long usedByDriver() {
    final long nowNs = clock.nanoTime();
    if (!looked || nowNs - lookedAtNs >= INTERVAL_NS) {
      looked = true;
      lookedAtNs = nowNs;
      usedByDriver = device.info().totalBytes() - device.freeBytes();
    }
    return usedByDriver;
  }

  /** Ends the thread before NVML is let go. */
  @Override
  public void close() {
    asking.interrupt();
    try {
      asking.join(LONGEST_QUERY_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (!asking.isAlive()) { // else a query hangs in the driver, and NVML stays
      telemetry.close();
    }
  }
}
