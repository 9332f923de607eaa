package dev.headway.cuda.blas;

/** The scales of operands that are e4m3 codes; modes are {@code cublasLtMatmulMatrixScale_t}. */
enum BlasScales {
  /** None: operands are bf16. */
  NONE(0, 0, 0),
  /** One float for each operand: {@code SCALAR_32F}. */
  ONE_EACH(1, 0, 0),
  /**
   * One for each row of weights and each row of inputs: {@code OUTER_VEC_32F}. Since CUDA 12.9, on
   * compute capability 9.0.
   */
  OF_ROWS(2, 3, 3),
  /**
   * One for each block of 128 x 128 weights, {@code BLK128x128_32F}, and for each 128 inputs of a
   * row, {@code VEC128_32F}. Since CUDA 12.9, on compute capability 9.0.
   */
  OF_BLOCKS(3, 5, 4);

  /** Rows and columns of a block. */
  static final int BLOCK = 128;

  /** Blocks in a row of weights, and rows of inputs, are a multiple of this. */
  static final int MULTIPLE = 4;

  private final int number;
  private final int modeOfWeights;
  private final int modeOfInputs;

  BlasScales(int number, int modeOfWeights, int modeOfInputs) {
    this.number = number;
    this.modeOfWeights = modeOfWeights;
    this.modeOfInputs = modeOfInputs;
  }

  /** In [0, 3], another one for each. */
  int number() {
    return number;
  }

  /** How weights are scaled. */
  int modeOfWeights() {
    return modeOfWeights;
  }

  /** How inputs are scaled. */
  int modeOfInputs() {
    return modeOfInputs;
  }
}
