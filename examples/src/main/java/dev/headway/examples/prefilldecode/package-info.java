/**
 * Prefill and decode in two engines: one computes prompts, the other gets their KV over TCP and
 * generates.
 *
 * <pre>{@code
 * PrefillDecodeRouter ──prompt, max_tokens=1──▶ prefill engine ─ PrefillConnector: an Offer each
 *         │                                                          │ BlockServer
 *         │                                                          ▼ blocks
 *         └───────prompt, where its KV is──▶ decode engine ── DecodeConnector: a BlockFetch each
 * }</pre>
 *
 * <p>Read {@link dev.headway.examples.prefilldecode.PrefillDecodeRouter} first, then the two
 * connectors.
 */
@NullMarked
package dev.headway.examples.prefilldecode;

import org.jspecify.annotations.NullMarked;
