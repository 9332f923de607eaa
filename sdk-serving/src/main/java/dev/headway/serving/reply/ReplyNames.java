package dev.headway.serving.reply;

/**
 * What a framework calls parameters that have other names elsewhere. Immutable.
 *
 * @param model of {@link ReplyParameters#modelName}
 * @param maxOutputTokens of {@link ReplyParameters#maxOutputTokens}
 * @param format of what a reply must look like
 */
public record ReplyNames(String model, String maxOutputTokens, String format) {

  /** Those of LangChain4j. */
  public static final ReplyNames USUAL =
      new ReplyNames("modelName", "maxOutputTokens", "responseFormat");
}
