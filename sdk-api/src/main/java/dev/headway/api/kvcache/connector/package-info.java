/**
 * KV that is computed elsewhere: an engine asks a {@link
 * dev.headway.api.kvcache.connector.KvConnector} how much of a prompt it can get from outside, and
 * tells it whose KV it can hand on.
 *
 * <pre>{@code
 * lookup ─▶ admitted ─▶ (load) ─▶ TransferSink.received ─▶ admitted ... ─▶ requestFinished ─▶ (send) ─▶ sent
 * }</pre>
 *
 * <p>Read {@link dev.headway.api.kvcache.connector.KvConnector} first. Nothing here moves bytes:
 * that is between the connector and what holds the KV. The names of what is asked follow vLLM's
 * {@code KVConnectorBase_V1}.
 */
@NullMarked
package dev.headway.api.kvcache.connector;

import org.jspecify.annotations.NullMarked;
