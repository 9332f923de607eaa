package dev.headway.executor.reference;

import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.executor.KvBlockAccess;
import dev.headway.executor.model.ModelConfig;

/** A reference model with the blocks of an executor's shape. */
final class ReferencePass implements HostModel {

  private final ReferenceModel model;
  private final PagedKv kv;
  private Rows rows = new Rows();

  ReferencePass(ReferenceModel model, ExecutorShape shape) {
    this.model = model;
    this.kv =
        new PagedKv(
            model.config(),
            shape.kvCache().blockSize(),
            shape.kvCache().numBlocks(),
            shape.hostBlocks());
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
  public long activatedExperts() {
    return model.activatedExperts();
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
  public KvBlockAccess kvBlocks() {
    return kv;
  }

  @Override
  public void close() {}
}
