package dev.headway.api.request;

/**
 * A LoRA adapter. Prefixes are only shared between requests with the same adapter name.
 *
 * @param id the executor's number for it, >= 1
 * @param name not blank, at most {@value Request#MAX_NAME_CHARS} characters
 */
public record LoraAdapter(int id, String name) {

  /** Validates the components. */
  public LoraAdapter {
    if (id < 1) {
      throw new IllegalArgumentException("adapter id must be >= 1: id=" + id + ", name=" + name);
    }
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "adapter name must not be blank: id=" + id + ", name='" + name + "'");
    }
    Request.requireShort("adapter name", name);
  }
}
