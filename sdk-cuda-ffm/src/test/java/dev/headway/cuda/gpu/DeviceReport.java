package dev.headway.cuda.gpu;

import dev.headway.cuda.blas.BlasLt;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.DeviceInfo;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.nvml.DeviceTelemetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Says what the device is, where the libraries came from, and how long the kernels take to load;
 * with the argument {@code available} only, and by its exit status, whether there is one.
 */
final class DeviceReport {
  private DeviceReport() {}

  public static void main(String[] args) throws IOException {
    final String absent = CudaDevice.unavailableBecause(0).orElse("");
    if (!absent.isEmpty()) {
      System.out.println("no device: " + absent);
      System.exit(1);
    }
    if (args.length == 1 && args[0].equals("available")) {
      return;
    }
    try (CudaDevice device = CudaDevice.open(0)) {
      final DeviceInfo info = device.info();
      System.out.println("device:              " + info);
      System.out.println("free bytes:          " + device.freeBytes());
      final long beginNs = System.nanoTime();
      final String origin = Kernels.load(device).origin();
      System.out.printf(
          "kernels loaded in:   %d ms, %s%n", (System.nanoTime() - beginNs) / 1_000_000, origin);
      try (BlasLt blas = BlasLt.open(device, 32 << 20)) {
        System.out.println("cuBLASLt:            " + said(blas.absentBecause()));
      }
      try (DeviceTelemetry nvml = DeviceTelemetry.open(info.pciBusId(), 1_000_000)) {
        System.out.println("NVML:                " + said(nvml.absentBecause()));
      }
    }
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      maps.filter(line -> line.matches(".*/lib(cuda|cublasLt|nvidia-ml)[-.].*"))
          .map(line -> line.substring(line.indexOf('/')))
          .distinct()
          .forEach(path -> System.out.println("loaded:              " + path));
    }
  }

  private static String said(String absentBecause) {
    return absentBecause.isEmpty() ? "present" : "absent: " + absentBecause;
  }
}
