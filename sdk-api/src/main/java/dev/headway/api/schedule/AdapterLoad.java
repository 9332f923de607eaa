package dev.headway.api.schedule;

/**
 * Requests of a LoRA adapter, at some recent moment: what a router needs to send others with the
 * same adapter where it is in use.
 *
 * @param name name of the adapter
 * @param running requests that run, >= 0
 * @param waiting requests that wait, held ones and those between two turns included, >= 0
 */
public record AdapterLoad(String name, int running, int waiting) {}
