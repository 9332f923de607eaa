package dev.headway.cuda.blas;

/** What a product is stored as. */
public enum BlasOutput {
  /** Activations. */
  BF16(14),
  /** Logits. */
  FP32(0);

  private final int dataType;

  BlasOutput(int dataType) {
    this.dataType = dataType;
  }

  /** The value of {@code cudaDataType_t}. */
  int dataType() {
    return dataType;
  }
}
