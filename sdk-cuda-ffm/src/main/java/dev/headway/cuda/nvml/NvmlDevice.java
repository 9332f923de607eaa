package dev.headway.cuda.nvml;

/** A device as NVML sees it; figures that cannot be had are {@link DeviceTelemetry#ABSENT}. */
interface NvmlDevice extends AutoCloseable {
  /** NVML is not there. */
  NvmlDevice NONE =
      new NvmlDevice() {
        @Override
        public long usedBytes() {
          return DeviceTelemetry.ABSENT;
        }

        @Override
        public long totalBytes() {
          return DeviceTelemetry.ABSENT;
        }

        @Override
        public long utilisationPermille() {
          return DeviceTelemetry.ABSENT;
        }

        @Override
        public void close() {}
      };

  /** Asks NVML for memory figures and returns the bytes in use. */
  long usedBytes();

  /** Total of the figures that {@link #usedBytes} asked for. */
  long totalBytes();

  long utilisationPermille();

  @Override
  void close();
}
