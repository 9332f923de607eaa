package dev.headway.cuda.device;

/** Kinds of kernel parameters. */
public enum KernelParameter {
  /** A device address, or 0 where the kernel allows none. */
  POINTER,
  /** {@code int}. */
  I32,
  /** {@code float}. */
  F32
}
