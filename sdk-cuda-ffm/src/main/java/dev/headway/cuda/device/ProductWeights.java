package dev.headway.cuda.device;

/** The weights of a product on the device, {@code [outputs][inputs]}, and its bias. */
public sealed interface ProductWeights permits WeightMatrix, Mxfp4Weights {

  /** Where the weights begin. */
  long address();

  /** Of {@code [outputs]}, bf16; 0 if there is none. */
  long bias();

  /** Rows: the width of what the product makes. */
  int outputs();

  /** Columns: the width of what it reads. */
  int inputs();
}
