package dev.headway.cuda.device;

/**
 * What a device is; numbers as the driver reports them.
 *
 * @param ordinal the driver's number of the device, from 0
 * @param name marketing name
 * @param computeMajor compute capability before the dot
 * @param computeMinor compute capability after the dot
 * @param multiprocessors number of SMs
 * @param totalBytes device memory
 * @param maxSharedBytesPerBlock shared memory a block can have if its kernel asks for it
 * @param driverVersion newest CUDA the driver supports, 1000 * major + 10 * minor
 * @param pciBusId place on the bus, for example {@code 0000:65:00.0}; NVML finds the device by it
 */
public record DeviceInfo(
    int ordinal,
    String name,
    int computeMajor,
    int computeMinor,
    int multiprocessors,
    long totalBytes,
    int maxSharedBytesPerBlock,
    int driverVersion,
    String pciBusId) {

  /** Compute capability as it is usually written, for example {@code 9.0}. */
  public String computeCapability() {
    return computeMajor + "." + computeMinor;
  }
}
