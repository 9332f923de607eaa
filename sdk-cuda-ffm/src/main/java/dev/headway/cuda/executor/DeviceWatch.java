package dev.headway.cuda.executor;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.time.NanoClock;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.nvml.DeviceTelemetry;

/**
 * State of the device, read once a second at most: through NVML, or without it the memory in use as
 * the driver reports it. Device thread only.
 */
final class DeviceWatch implements AutoCloseable {
  private static final long INTERVAL_NS = 1_000_000_000;

  private final CudaDevice device;
  private final NanoClock clock;
  private final DeviceTelemetry telemetry;
  private long usedBytes;

  DeviceWatch(CudaDevice device, NanoClock clock) {
    this.device = device;
    this.clock = clock;
    telemetry = DeviceTelemetry.open(device.info().pciBusId(), INTERVAL_NS);
  }

  /** Reads again if it is time, and adds the state to the results of a step. */
  void look(StepResults results) {
    if (telemetry.refresh(clock.nanoTime())) {
      usedBytes = telemetry.usedBytes();
      if (usedBytes == ABSENT) {
        usedBytes = device.info().totalBytes() - device.freeBytes();
      }
    }
    results.memoryUsedBytes = usedBytes;
    results.utilizationPermille = telemetry.utilisationPermille();
  }

  @Override
  public void close() {
    telemetry.close();
  }
}
