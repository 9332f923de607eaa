package dev.headway.cuda.device;

import static dev.headway.cuda.driver.CudaResult.check;

import dev.headway.cuda.CudaUnavailableException;
import dev.headway.cuda.driver.CudaResult;
import dev.headway.cuda.driver.DeviceCalls;
import dev.headway.cuda.driver.DriverFunction;
import dev.headway.cuda.driver.InitCalls;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Finding a device, before there is one. */
final class Devices {
  private Devices() {}

  static int count(MemorySegment scratch) {
    initialise();
    check(DeviceCalls.cuDeviceGetCount(scratch), DriverFunction.DEVICE_GET_COUNT);
    return scratch.get(ValueLayout.JAVA_INT, 0);
  }

  static int find(MemorySegment scratch, int ordinal) {
    final int count = count(scratch);
    if (count == 0) {
      throw noDevice("cuDeviceGetCount answers 0");
    }
    if (ordinal < 0 || ordinal >= count) {
      throw new CudaUnavailableException(
          "device ordinal must be in [0, " + count + "): ordinal=" + ordinal);
    }
    check(DeviceCalls.cuDeviceGet(scratch, ordinal), DriverFunction.DEVICE_GET);
    return scratch.get(ValueLayout.JAVA_INT, 0);
  }

  private static void initialise() {
    final int result = InitCalls.cuInit(0);
    if (result == CudaResult.NO_DEVICE) {
      throw noDevice("cuInit answers 100 (" + InitCalls.errorName(result) + ")");
    }
    check(result, DriverFunction.INIT);
  }

  private static CudaUnavailableException noDevice(String answer) {
    return new CudaUnavailableException(
        "CUDA needs a device and the driver shows none: "
            + answer
            + "; check nvidia-smi, CUDA_VISIBLE_DEVICES, and that a container is given the GPU");
  }
}
