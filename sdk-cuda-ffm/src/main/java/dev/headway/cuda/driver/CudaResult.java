package dev.headway.cuda.driver;

import dev.headway.cuda.CudaException;

/** The values of {@code CUresult} that code decides by; all others are only reported. */
public final class CudaResult {
  /** Done. */
  public static final int SUCCESS = 0;

  /** An argument is out of range. */
  public static final int INVALID_VALUE = 1;

  /** Not enough device or pinned memory. */
  public static final int OUT_OF_MEMORY = 2;

  /** No device that CUDA can use. */
  public static final int NO_DEVICE = 100;

  /** No such ordinal. */
  public static final int INVALID_DEVICE = 101;

  /** Not a module. */
  public static final int INVALID_IMAGE = 200;

  /** No code for this device. */
  public static final int NO_BINARY_FOR_GPU = 209;

  /** The PTX is damaged. */
  public static final int INVALID_PTX = 218;

  /** The PTX is of a newer version than the driver reads. */
  public static final int UNSUPPORTED_PTX_VERSION = 222;

  /** No such symbol. */
  public static final int NOT_FOUND = 500;

  /** Not finished yet; no error. */
  public static final int NOT_READY = 600;

  private CudaResult() {}

  /**
   * Whether CUDA is lost to the process: every later call fails the same way, and a new context
   * too. True of the results of which {@code cuda.h} says that the process must be terminated and
   * relaunched, and of those after which a device was seen to do nothing more: memory errors that
   * cannot be corrected (214), of NVLink too (220), a failed assertion (710) and "unknown" (999).
   */
  public static boolean isSticky(int result) {
    return switch (result) {
      case 214, 220, 226, 700, 702, 710, 714, 715, 716, 717, 718, 719, 721, 810, 911, 999 -> true;
      default -> false;
    };
  }

  /** Throws if {@code result} is not success. Allocates nothing otherwise. */
  public static void check(int result, DriverFunction call) {
    if (result != SUCCESS) {
      throw exception(call, result, "");
    }
  }

  /**
   * Describes a failure. Cold; asks the driver for the result's name.
   *
   * @param details {@code name=value} pairs, or empty
   */
  public static CudaException exception(DriverFunction call, int result, String details) {
    final String name = InitCalls.errorName(result);
    final String sentence = InitCalls.errorString(result);
    return new CudaException(
        call.symbol(),
        result,
        isSticky(result),
        call.symbol()
            + " failed: result="
            + result
            + " ("
            + name
            + (sentence.isEmpty() || sentence.equals(name) ? "" : ", " + sentence)
            + ")"
            + (details.isEmpty() ? "" : ", " + details));
  }
}
