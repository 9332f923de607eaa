package dev.headway.cuda.device;

import static dev.headway.cuda.driver.CudaResult.check;

import dev.headway.cuda.driver.DeviceCalls;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.InitCalls;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Asks the driver about one device; cold. */
final class DeviceInfoReader {
  private static final int MULTIPROCESSOR_COUNT = 16;
  private static final int COMPUTE_CAPABILITY_MAJOR = 75;
  private static final int COMPUTE_CAPABILITY_MINOR = 76;
  private static final int MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97;
  private static final int TEXT_BYTES = 256;

  private final MemorySegment scratch;

  /** Uses {@code scratch}, at least 256 bytes, for what the driver writes. */
  DeviceInfoReader(MemorySegment scratch) {
    this.scratch = scratch;
  }

  DeviceInfo read(int ordinal, int device) {
    return new DeviceInfo(
        ordinal,
        name(device),
        attribute(device, COMPUTE_CAPABILITY_MAJOR),
        attribute(device, COMPUTE_CAPABILITY_MINOR),
        attribute(device, MULTIPROCESSOR_COUNT),
        totalBytes(device),
        attribute(device, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
        driverVersion(),
        pciBusId(device));
  }

  private int attribute(int device, int attribute) {
    check(
        DeviceCalls.cuDeviceGetAttribute(scratch, attribute, device),
        DriverFunction.DEVICE_GET_ATTRIBUTE);
    return scratch.get(ValueLayout.JAVA_INT, 0);
  }

  private String name(int device) {
    check(DeviceCalls.cuDeviceGetName(scratch, TEXT_BYTES, device), DriverFunction.DEVICE_GET_NAME);
    return scratch.getString(0);
  }

  private String pciBusId(int device) {
    check(
        DeviceCalls.cuDeviceGetPCIBusId(scratch, TEXT_BYTES, device),
        DriverFunction.DEVICE_GET_PCI_BUS_ID);
    return scratch.getString(0);
  }

  private long totalBytes(int device) {
    check(DeviceCalls.cuDeviceTotalMem(scratch, device), DriverFunction.DEVICE_TOTAL_MEM);
    return scratch.get(ValueLayout.JAVA_LONG, 0);
  }

  private int driverVersion() {
    check(InitCalls.cuDriverGetVersion(scratch), DriverFunction.DRIVER_GET_VERSION);
    return scratch.get(ValueLayout.JAVA_INT, 0);
  }
}
