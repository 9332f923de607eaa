package dev.headway.cuda.kernel;

import dev.headway.cuda.CudaException;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaModule;
import dev.headway.cuda.device.DeviceInfo;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * The compiled kernels: PTX for a compute capability and newer ones, which the driver compiles, and
 * machine code for 9.0, which it does not have to.
 */
public enum KernelImage {
  /** All that run on every device; PTX for 8.0. */
  ALL("headway_80.ptx", "headway_90.cubin", "headway kernels"),
  /** Those of {@link RoundedProducts}; PTX for 8.9. */
  ROUNDED("headway_e4m3_89.ptx", "headway_e4m3_90.cubin", "headway kernels of rounded inputs");

  private final String ptx;
  private final String machineCode;
  private final String words;

  KernelImage(String ptx, String machineCode, String words) {
    this.ptx = ptx;
    this.machineCode = machineCode;
    this.words = words;
  }

  /**
   * A loaded image.
   *
   * @param module the kernels
   * @param origin what was loaded, and why not the machine code where the driver refused it
   */
  record Loaded(CudaModule module, String origin) {}

  /**
   * Loads the machine code for the device, where there is any and the driver takes it, else the
   * PTX. The driver's compiler takes some seconds for PTX the first time and keeps what it made.
   *
   * @throws dev.headway.cuda.CudaUnavailableException if the driver is too old
   * @throws CudaException if it refuses the PTX, or the device is lost
   */
  Loaded load(CudaDevice device) {
    final DeviceInfo info = device.info();
    final Optional<byte[]> code = machineCode(info.computeMajor(), info.computeMinor());
    String origin = "PTX, compiled by the driver";
    if (code.isPresent()) {
      try {
        return new Loaded(
            device.loadModule(words + " in machine code", code.get()),
            "machine code for compute capability " + info.computeCapability());
      } catch (CudaException e) { // a driver before CUDA 13 may not know its format
        if (e.isSticky()) {
          throw e;
        }
        origin += ", which refused the machine code: " + e.getMessage();
      }
    }
    return new Loaded(device.loadModule(words, ptx()), origin);
  }

  /** Reads the PTX from the jar; cold. Any thread. */
  public byte[] ptx() {
    return read(ptx);
  }

  /**
   * Reads the machine code for a device from the jar; empty if there is none for its compute
   * capability. Cold. Any thread.
   */
  public Optional<byte[]> machineCode(int computeMajor, int computeMinor) {
    return computeMajor == 9 && computeMinor == 0
        ? Optional.of(read(machineCode))
        : Optional.empty();
  }

  /** The files of the image: PTX, machine code. */
  String[] files() {
    return new String[] {ptx, machineCode};
  }

  private static byte[] read(String resource) {
    try (InputStream in = KernelImage.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException(
            "the kernels must be on the class path beside their classes: resource=" + resource);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
