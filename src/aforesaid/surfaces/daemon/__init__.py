"""One warm process a store: it has the model and the protocol loaded, so that hosts need not wait for them."""
