package dev.headway.cuda.reference;

import dev.headway.cuda.model.ModelConfig;

/** A reference model with the blocks that an executor gave it. */
final class ReferencePass implements HostModel {

  private final ReferenceModel model;
  private final PagedKv kv;
  private Rows rows = new Rows();

  ReferencePass(ReferenceModel model, PagedKv kv) {
    this.model = model;
    this.kv = kv;
  }

  @Override
  public ModelConfig config() {
    return model.config();
  }

  @Override
  public void forward(Rows rows) {
    this.rows = rows;
    model.forward(rows, kv);
  }

  @Override
  public void logits(int sample, float[] logits) {
    model.logits(rows.sampleRow(sample), logits);
  }

  @Override
  public void copyBlock(int source, int target) {
    kv.copyBlock(source, target);
  }

  @Override
  public void zeroBlock(int block) {
    kv.zeroBlock(block);
  }

  @Override
  public void close() {}
}
