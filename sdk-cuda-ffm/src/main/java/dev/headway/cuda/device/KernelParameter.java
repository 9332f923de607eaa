package dev.headway.cuda.device;

import java.util.Arrays;

/** Kinds of kernel parameters. */
public enum KernelParameter {
  /** A device address, or 0 where the kernel allows none. */
  POINTER,
  /** {@code int}. */
  I32,
  /** {@code float}. */
  F32;

  /** What a kernel takes whose addresses come first, then its integers, then its real numbers. */
  public static KernelParameter[] inOrder(int pointers, int integers, int reals) {
    final KernelParameter[] all = new KernelParameter[pointers + integers + reals];
    Arrays.fill(all, 0, pointers, POINTER);
    Arrays.fill(all, pointers, pointers + integers, I32);
    Arrays.fill(all, pointers + integers, all.length, F32);
    return all;
  }
}
