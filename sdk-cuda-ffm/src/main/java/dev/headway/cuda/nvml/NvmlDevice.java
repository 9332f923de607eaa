package dev.headway.cuda.nvml;

import static dev.headway.api.Absent.ABSENT;

/**
 * A device as NVML sees it; figures that cannot be had are {@link dev.headway.api.Absent#ABSENT}.
 */
interface NvmlDevice extends AutoCloseable {
  /** NVML is not there. */
  NvmlDevice NONE =
      new NvmlDevice() {
        @Override
        public long usedBytes() {
          return ABSENT;
        }

        @Override
        public long totalBytes() {
          return ABSENT;
        }

        @Override
        public long utilisationPermille() {
          return ABSENT;
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
