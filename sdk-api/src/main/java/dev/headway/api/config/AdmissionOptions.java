package dev.headway.api.config;

/**
 * When a waiting request may take KV blocks.
 *
 * @param fullSequenceGate which blocks must be free
 * @param watermark share of all blocks kept free at admissions while anything runs, in [0, 1)
 */
public record AdmissionOptions(FullSequenceGate fullSequenceGate, double watermark) {

  /** The whole sequence must fit; no watermark. */
  public static final AdmissionOptions DEFAULT =
      new AdmissionOptions(FullSequenceGate.WHOLE_SEQUENCE, 0.0);

  /** Validates the components. */
  public AdmissionOptions {
    if (!(watermark >= 0 && watermark < 1)) {
      throw new IllegalArgumentException("watermark must be in [0, 1): watermark=" + watermark);
    }
  }
}
